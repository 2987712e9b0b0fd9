/** As much of a hash as tells it from its neighbours; the same form as a shortened Copyable. */
export const shortHash = (hash: string): string => `${hash.slice(0, 8)}…${hash.slice(-4)}`
