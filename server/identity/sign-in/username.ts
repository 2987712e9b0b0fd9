/** A user name in the form that is stored and looked up: case and surrounding spaces do not matter. */
export const usernameKey = (text: string): string => text.normalize('NFKC').trim().toLowerCase()
