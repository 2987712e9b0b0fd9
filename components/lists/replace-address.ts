/**
 * What the address asks for, as it is now and not as the page was drawn last: of two choices in quick succession none is
 * lost.
 */
export const addressSearch = (): URLSearchParams => new URLSearchParams(window.location.search)

/** The same page with another search. At once: the framework's own way waits for the server, whose page is the same. */
export const replaceAddress = (path: string): void => window.history.replaceState(null, '', path)
