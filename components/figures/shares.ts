/** The failed share of what ended; null if nothing did. */
export const failedShare = ({ ended, failed }: { ended: number; failed: number }): number | null =>
  ended === 0 ? null : failed / ended
