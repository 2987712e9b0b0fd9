/** Whether the token was issued before its holder's access was last withdrawn, even if access was restored since. */
export const isOutdated = (
  { tokensNotBefore }: { tokensNotBefore: Date | null },
  { issuedAt }: { issuedAt?: number },
): boolean => tokensNotBefore !== null && issuedAt !== undefined && issuedAt < tokensNotBefore.getTime()
