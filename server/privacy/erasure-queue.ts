export const erasureQueue = 'subject-erasure'
/** What the subject is encrypted for while the work goes on. */
export const erasureContext = (id: string): string => `erasures/${id}`
