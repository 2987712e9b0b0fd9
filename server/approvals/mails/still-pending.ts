import type { StillWanted } from '#server/mail/still-wanted.ts'
import { findApproval } from '../store.ts'

/** A request that was decided or has expired needs no more reviewers. */
export const stillPending: StillWanted = async (tx, tenant, { subjectId }) =>
  (await findApproval(tx, tenant.id, subjectId))?.status === 'pending'
