/** The damage if the action goes wrong, the smallest first. */
export const riskTiers = ['low', 'medium', 'high', 'critical'] as const
export type RiskTier = (typeof riskTiers)[number]
