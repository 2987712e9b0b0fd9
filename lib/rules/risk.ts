/** The damage if the action goes wrong, the smallest first. */
export const riskTiers = ['low', 'medium', 'high', 'critical'] as const
export type RiskTier = (typeof riskTiers)[number]

/**
 * Seconds that a reviewer reads a request before they can approve it, if the tenant has set such a time and the risk is high
 * or critical. Rejecting and escalating let nothing run, so they need no time.
 */
export const secondsToRead = (settings: { readingSeconds: number | null }, risk: string): number | null =>
  risk === 'high' || risk === 'critical' ? settings.readingSeconds : null
