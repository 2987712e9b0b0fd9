/** How bad it would be if it went wrong, the least first. */
export const riskTiers = ['low', 'medium', 'high', 'critical'] as const
export type RiskTier = (typeof riskTiers)[number]
