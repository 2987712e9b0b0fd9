import { createHash } from 'node:crypto'
import { canonicalJson } from '#lib/jcs.ts'
import { needsPasskey } from '#lib/rules/passkeys.ts'
import type { Approval, DecideInput } from '#lib/schemas/approvals.ts'
import type { Confirmation } from '#lib/schemas/passkeys.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { confirmWithPasskey } from '#server/passkeys/confirm.ts'
import { hasPasskey } from '#server/passkeys/credentials.ts'
import { settingsOf } from '#server/tenants/view.ts'
import type { ApprovalRow } from './store.ts'

type Row = NonNullable<ApprovalRow>
type Caller = { tenant: Tenant; principal: Principal }

/**
 * The signature of the reviewer's passkey over this request's digest. Undefined when the tenant does not require one; throws
 * 403 `passkey_required` when it does and the signature is missing.
 */
export async function confirmationOf(
  tx: Transaction,
  caller: Caller,
  { id: approvalId, payloadDigest, presentation }: Row,
  { decision, passkey }: DecideInput,
): Promise<Confirmation | undefined> {
  if (!needsPasskey(settingsOf(caller.tenant), presentation.risk, decision)) return undefined
  const purpose = { act: 'approve', approvalId, payloadDigest }
  const { passkeyId, publicKey, bound, assertion } = await confirmWithPasskey(tx, caller, purpose, passkey)
  const { clientDataJSON, authenticatorData, signature } = assertion.response
  return {
    passkeyId,
    publicKey,
    bound: { ...purpose, nonce: bound.nonce },
    clientDataJSON,
    authenticatorData,
    signature,
  }
}

/** The digest of a confirmation in the audit record. */
export const confirmationDigest = (confirmation: Confirmation): string =>
  `sha256:${createHash('sha256').update(canonicalJson(confirmation)).digest('hex')}`

/** Whether the approval page asks for a passkey. */
export async function passkeyStateOf(
  tx: Transaction,
  { tenant, principal }: Caller,
  { presentation }: Row,
): Promise<Approval['passkey']> {
  if (!needsPasskey(settingsOf(tenant), presentation.risk, 'approve')) return 'not_needed'
  return (await hasPasskey(tx, tenant, principal)) ? 'needed' : 'missing'
}
