/** The program that `LogoRasterizer` starts. */
import './rasterizer.js';
