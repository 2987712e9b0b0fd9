/** Begins the id of a client that registered itself. No other id has a colon, except an address. */
export const registeredPrefix = 'registered:'

export const isRegisteredClient = (clientId: string | undefined): boolean =>
  clientId?.startsWith(registeredPrefix) === true

/** Whether a client is another vendor's: its id is the address of its metadata document, or it registered itself. */
export const isForeignClient = (clientId: string | undefined): boolean =>
  clientId?.startsWith('https://') === true || isRegisteredClient(clientId)
