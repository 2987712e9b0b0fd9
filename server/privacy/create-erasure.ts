import { CreateErasureInput, CreateErasureOutput } from '#lib/schemas/privacy.ts'
import { newId } from '#server/kernel/ids.ts'
import { encryptForTenant, tenantDigest } from '#server/kernel/keys/tenant-keys.ts'
import { mutation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { erasureContext, erasureQueue } from './erasure-queue.ts'
import { insertErasure } from './store.ts'

/** erasures.create: permanently removes salts and values that contain the subject, in the background. Proofs of the rest remain valid. */
export const createErasure = mutation({
  permission: 'subject:erase',
  input: CreateErasureInput,
  output: CreateErasureOutput,
  // The subject must not remain in a stored response or in the audit record.
  confidential: true,
  audit: ({ reason }, output) => ({
    action: 'erasure.requested',
    resource: { type: 'erasure', id: output?.erasureId ?? 'new' },
    reason,
  }),
  async run({ tx, tenant, principal, input }) {
    const id = newId()
    const subject = input.subject.normalize('NFC')
    await insertErasure(tx, {
      tenantId: tenant.id,
      id,
      status: 'pending',
      subject: await encryptForTenant(tx, tenant.id, Buffer.from(subject), erasureContext(id)),
      subjectDigest: await tenantDigest(tx, tenant.id, `erasure\n${subject.toLowerCase()}`),
      reason: input.reason,
      requestedBy: principal.memberId,
    })
    await runtime().queue.enqueue(tx, erasureQueue, { tenantId: tenant.id, id })
    return { erasureId: id, status: 'pending' as const }
  },
})
