export { createSelfSignedP12 } from './self-signed-certificate.js';
export { type SimulatorName, simulatorNames, simulatorProgram } from './simulator-programs.js';
