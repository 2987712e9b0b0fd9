/** Whether what the token stands on was taken away after it had been issued, even if it was given back since. */
export const isOutdated = (
  { tokensNotBefore }: { tokensNotBefore: Date | null },
  { issuedAt }: { issuedAt?: number },
): boolean => tokensNotBefore !== null && issuedAt !== undefined && issuedAt < tokensNotBefore.getTime()
