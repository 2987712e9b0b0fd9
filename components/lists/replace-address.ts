/**
 * Returns the current query of the address, not that of the last render, so that of two quick choices none is
 * lost.
 */
export const addressSearch = (): URLSearchParams => new URLSearchParams(window.location.search)

/** Replaces the query of the address immediately. The framework's router would first wait for the server, whose page is the same. */
export const replaceAddress = (path: string): void => window.history.replaceState(null, '', path)
