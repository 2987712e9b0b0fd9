import type { SignInLink } from '#server/identity/links/sign-in-links.ts'

/** No mail server can be configured yet, so the caller passes the link on. It appears in no log and in no replay. */
export const handedOver = (link: SignInLink, displayName: string) => ({
  inviteUrl: link.url,
  expiresAt: link.expiresAt.toISOString(),
  notice: `No mail server is configured, so nothing was sent. Give this link to ${displayName} yourself: it is shown once, works once, and expires in 72 hours.`,
})

export const withoutLink = <T extends { inviteUrl: string | null }>(output: T): T => ({ ...output, inviteUrl: null })
