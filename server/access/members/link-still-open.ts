import type { StillWanted } from '#server/mail/still-wanted.ts'
import { findLinkMails } from '#server/mail/store.ts'
import { findMemberById } from '#server/tenants/member-store.ts'
import { memberViews } from './view.ts'

/** The link in this mail still works: it was not used, has not expired, and no newer one has replaced it. */
export const linkStillOpen: StillWanted = async (tx, tenant, { mailId, subjectId }) => {
  const row = await findMemberById(tx, tenant.id, subjectId)
  const [member] = row === undefined ? [] : await memberViews(tx, tenant, [row])
  if (member === undefined || member.linkExpiresAt === null || member.linkMail === null) return false
  return (await findLinkMails(tx, tenant.id, [subjectId])).get(subjectId)?.id === mailId
}
