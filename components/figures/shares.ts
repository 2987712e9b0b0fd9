const numbers = new Intl.NumberFormat('en')

export const formatNumber = (value: number): string => numbers.format(Math.round(value))

/** `3.1 %`, `12 %`. */
export const formatShare = (share: number): string => {
  const percent = share * 100
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`
}

/** The failed share of what ended; null if nothing did. */
export const failedShare = ({ ended, failed }: { ended: number; failed: number }): number | null =>
  ended === 0 ? null : failed / ended
