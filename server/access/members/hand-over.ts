import { ApiError } from '#lib/errors.ts'
import type { PersonalLanguage } from '#lib/languages.ts'
import { linkNotice } from '#lib/rules/members/link-notice.ts'
import { createSignInLink, type SignInLink } from '#server/identity/links/sign-in-links.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { languageOf } from '#server/languages/languages-of.ts'
import { queueMail } from '#server/mail/queue-mail.ts'
import { mailTime, mailWords } from '#server/mail/words/words.ts'
import { tieToPerson } from '#server/tenants/account-control.ts'

type Account = {
  id: string
  issuer: string
  subject: string
  username: string
  displayName: string
  email: string | null
}

/**
 * Creates the one-time link of an invitation or a reset, and makes the caller count as the account until it is proved that its
 * holder controls it. With a mail server the link is sent and shown to no one; without one the caller passes it on. It
 * appears in no log and in no replay. Throws 409 if mail is configured and the account lacks an address.
 */
export async function handOver(
  tx: Transaction,
  { tenant, principal }: { tenant: Tenant; principal: Principal },
  account: Account,
  kind: 'invited' | 'reset',
  passkeysRemoved: string[] = [],
): Promise<{ inviteUrl: string | null; expiresAt: string; notice: string }> {
  const { email, displayName } = account
  const byMail = runtime().config.smtpUrl !== undefined
  if (byMail && email === null)
    throw new ApiError(
      'conflict',
      `Links are sent by mail here, and ${displayName} does not have an e-mail address. The operator can create a link: npm run tenant -- link.`,
    )
  const purpose = kind === 'invited' ? 'invitation' : 'reset'
  const link = await createSignInLink(tx, tenant, account.subject, purpose, byMail)
  await tieToPerson(tx, tenant.id, { account, kind, by: principal, mailed: byMail, passkeysRemoved })
  const expiresAt = link.expiresAt.toISOString()
  if (!byMail || email === null) return { inviteUrl: link.url, expiresAt, notice: linkNotice('shown', account) }
  const language = await languageOf(tx, tenant, account.id)
  await queueMail(tx, tenant, {
    kind: 'sign_in_link',
    subjectId: account.id,
    memberId: account.id,
    recipient: email,
    language,
    ...mailOf(tenant, principal, link, { kind, username: account.username, passkeysRemoved, language }),
  })
  return { inviteUrl: null, expiresAt, notice: linkNotice('mailed', account) }
}

/** The output of an invitation or a reset without its link, for replays. */
export const withoutLink = <T extends { inviteUrl: string | null }>(output: T): T => ({ ...output, inviteUrl: null })

function mailOf(
  { displayName: tenant }: Tenant,
  { displayName: by }: Principal,
  { url, expiresAt }: SignInLink,
  {
    kind,
    username,
    passkeysRemoved,
    language,
  }: { kind: 'invited' | 'reset'; username: string; passkeysRemoved: readonly string[]; language: PersonalLanguage },
): { subject: string; body: string } {
  const about = { tenant: oneLine(tenant), by: oneLine(by), url, until: mailTime(language, expiresAt) }
  return kind === 'invited'
    ? mailWords[language].invited({ ...about, username: oneLine(username) })
    : mailWords[language].reset({ ...about, passkeysRemoved: oneLine(passkeysRemoved.join(', ')) })
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
