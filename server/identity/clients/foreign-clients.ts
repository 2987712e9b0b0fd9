/** Whether a client is another vendor's: its id is the address of its metadata document. No other id is an address. */
export const isForeignClient = (clientId: string | undefined): boolean => clientId?.startsWith('https://') === true
