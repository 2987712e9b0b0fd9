/** Bytes of a logo. */
export const maxImageBytes = 256 * 1024
