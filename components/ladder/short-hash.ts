/** Returns enough of a hash to distinguish it from its neighbours, in the format of a shortened Copyable. */
export const shortHash = (hash: string): string => `${hash.slice(0, 8)}…${hash.slice(-4)}`
