import { sourceLanguage } from '#lib/languages.ts'
import { endSessions } from '#server/identity/artifacts/adapter.ts'
import { deleteOpenLinks, replacePassword } from '#server/identity/links/link-store.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { findPerson } from '#server/identity/store.ts'
import type { Verified } from '#server/identity/strangers/try-password.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { listLanguages } from '#server/languages/language-store.ts'
import { queueMail } from '#server/mail/queue-mail.ts'
import { mailWords } from '#server/mail/words/words.ts'
import { lockForPassword, recordChange } from '#server/tenants/activate.ts'
import { endTokens } from '#server/tenants/member-store.ts'

/**
 * Stores the new password of a person who has just proved the current one. Ends all sessions and tokens, invalidates open
 * sign-in links, and notifies the person by mail, in one transaction. Returns false if the membership has ended since, or if the
 * proved password has been changed or reset.
 */
export function changePassword(realm: Realm, { subject, passwordHash }: Verified, nextHash: string): Promise<boolean> {
  const { tenantId, externalId, slug, displayName, language: usual } = realm
  const issuer = issuerOf(slug)
  return runtime().database.inTenant(tenantId, async (tx) => {
    const member = await lockForPassword(tx, tenantId, { issuer, subject })
    const person = await findPerson(tx, tenantId, issuer, subject)
    if (member === undefined || person === undefined) return false
    if (!(await replacePassword(tx, tenantId, subject, { verified: passwordHash, next: nextHash }))) return false
    await deleteOpenLinks(tx, tenantId, subject)
    await endSessions(tx, tenantId, subject)
    await endTokens(tx, tenantId, member.id)
    await recordChange(tx, { id: tenantId, externalId }, member)
    if (person.email !== null) {
      const language = (await listLanguages(tx, tenantId, [member.id])).get(member.id) ?? usual ?? sourceLanguage
      await queueMail(
        tx,
        { id: tenantId },
        {
          kind: 'password_changed',
          subjectId: member.id,
          memberId: member.id,
          recipient: person.email,
          language,
          ...mailWords[language].passwordChanged(displayName),
        },
      )
    }
    return true
  })
}
