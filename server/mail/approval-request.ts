import { approvalPath } from '#lib/paths.ts'
import type { RiskTier } from '#lib/rules/risk.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { languagesOf } from '#server/languages/languages-of.ts'
import { addressOf } from './address.ts'
import { oneLine } from './one-line.ts'
import { queueMail } from './queue-mail.ts'
import type { Asker, Occasion } from './words/types.ts'
import { mailTime, mailWords } from './words/words.ts'

/** Each mail is written in the transaction of the request. The inbox lists every request. */
const mostRecipients = 1000

/**
 * Notifies the people who could decide a request. The mail names its subject, its risk and who asks, and links to the decision page. It
 * contains no arguments of the call, and a reply to it has no effect.
 */
export async function mailApprovers(
  tx: Transaction,
  tenant: Tenant,
  request: {
    approvalId: string
    title: string
    agentName: string | undefined
    requester: { name: string; program: Asker | undefined }
    environment: string | null
    risk: RiskTier
    expiresAt: Date
    occasion: Occasion
    /** `standsInFor`: the name of the member whose delegate this person is. */
    people: readonly { id: string; email: string | null; standsInFor?: string }[]
  },
): Promise<void> {
  const { approvalId, title, agentName, requester, environment, risk, expiresAt, occasion, people } = request
  const url = addressOf(approvalPath(tenant.externalId, approvalId), tenant)
  const program = requester.program && { ...requester.program, name: oneLine(requester.program.name) }
  const told = people.slice(0, mostRecipients)
  const languageOf = await languagesOf(
    tx,
    tenant,
    told.map(({ id }) => id),
  )
  for (const { id, email, standsInFor } of told) {
    if (email === null) continue
    const language = languageOf(id)
    const words = mailWords[language].approval
    const about = [
      agentName === undefined ? undefined : words.agent(oneLine(agentName)),
      words.requestedBy(oneLine(requester.name), program),
      environment === null ? undefined : words.environment(oneLine(environment)),
      words.risk[risk],
      words.whyNow[occasion],
      words.decideBy(mailTime(language, expiresAt)),
    ].filter((line) => line !== undefined)
    const because =
      standsInFor === undefined
        ? words.because(tenant.displayName)
        : words.becauseFor(tenant.displayName, oneLine(standsInFor))
    await queueMail(tx, tenant, {
      kind: 'approval_request',
      subjectId: approvalId,
      memberId: id,
      recipient: email,
      language,
      subject: `${words.subjects[occasion]}: ${title}`,
      body: `${oneLine(title)}\n\n${about.join('\n')}\n\n${words.review}\n${url}\n\n${because}\n`,
    })
  }
}
