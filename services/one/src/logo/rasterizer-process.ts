/** Where rendering starts it: the same place in its own build and in this one. */
import '@pinkas/rendering/rasterizer';
