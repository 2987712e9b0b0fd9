/** The largest logo, in bytes. */
export const maxImageBytes = 256 * 1024
