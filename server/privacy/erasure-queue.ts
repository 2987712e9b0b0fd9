export const erasureQueue = 'subject-erasure'
/** The encryption context of the subject while the erasure is in progress. */
export const erasureContext = (id: string): string => `erasures/${id}`
