/** Whether the version that a request requires (If-Match) is this one. Without the header, any is. */
export const isKnownVersion = (ifMatch: string | undefined, version: string): boolean =>
  ifMatch === undefined || ifMatch.trim() === '*' || ifMatch.split(',').some((one) => opaque(one) === opaque(version))

/** Versions are weak: clients send them with or without the mark. */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')
