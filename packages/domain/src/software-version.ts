/** The version of the software, which files and requests to others name. */
export const softwareVersion = '0.3.0';
