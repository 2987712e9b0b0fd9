import type { Decision } from '#lib/schemas/approvals.ts'
import type { TenantSettings } from '#lib/schemas/tenants.ts'

/** The most passkeys that a person may have in a tenant. */
export const maxPasskeys = 20

/**
 * Whether a decision requires the approver's passkey. Only an approval does: stopping something must never be harder than
 * letting it happen, and an escalation permits nothing.
 */
export const needsPasskey = (settings: Pick<TenantSettings, 'passkeyForTiers'>, risk: string, decision: Decision) =>
  decision === 'approve' && settings.passkeyForTiers.some((tier) => tier === risk)
