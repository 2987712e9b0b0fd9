import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type Received, startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { bindingFor, registerRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// A sample of each class of same-person.test.ts over HTTP, on a server that runs as an operator starts it: who acts is what the
// tokens say, and who counts as whom is what the database says.

let smtp: TestSmtp
let api: TestApi
let byMail: TestApi
beforeAll(async () => {
  smtp = await startSmtp()
  api = await startApi()
  byMail = await startApi({ SMTP_URL: smtp.url })
}, 180_000)
afterAll(async () => {
  await api.close()
  await byMail.close()
  await smtp.close()
})

type Change = { approvalId: string }
type Member = { id: string; username: string; revision: number; roles: string[] }
type Invited = { member: Member; inviteUrl: string | null; change: Change | null }
const password = 'seven quiet harbour lamps'

const memberOf = async (on: TestApi, username: string, slug = 'northwind'): Promise<Member> => {
  const admin = await on.person('tom', slug)
  const { items } = payload<{ items: Member[] }>(await on.query(admin, 'members.list', { limit: 200 }))
  const found = items.find((item) => item.username === username)
  if (found === undefined) throw new Error(`no member ${username}`)
  return found
}
const decide = (on: TestApi, token: string, approvalId: string) =>
  on.mutate(token, 'approvals.decide', {
    approvalId,
    decision: 'approve',
    decisionAcknowledged: true,
    reason: 'Read and found right.',
  })

/** Sets a password with a one-time link, and signs in. */
async function redeem(on: TestApi, link: string, username: string): Promise<string> {
  const browser = new Browser()
  const done = await browser.visit(link, { password, again: password })
  expect([done.status, done.text.includes('Your password is set')]).toEqual([200, true])
  return (await signIn(on.baseUrl, 'northwind', username, password)).accessToken
}

async function invite(on: TestApi, by: string, username: string): Promise<Invited> {
  const input = { email: `${username}@mail.example`, username, displayName: username, roles: ['viewer'] }
  return payload<Invited>(await on.mutate(by, 'members.invite', input))
}

/** Asks for a role that change-approvers have to grant. */
async function askForRole(on: TestApi, by: string, username: string): Promise<string> {
  const { id, revision, roles } = await memberOf(on, username)
  const wanted = { id, expectedRevision: revision, roles: [...new Set([...roles, 'privacy_officer'])] }
  return payload<{ change: Change }>(await on.mutate(by, 'members.setRoles', wanted)).change.approvalId
}

test('an account does not decide its own request, and not one from which it gains; another person does', async () => {
  const tom = await api.person('tom')
  const jonas = await api.person('jonas')
  const gains = await askForRole(api, tom, 'jonas')
  expect(reason(await decide(api, jonas, gains))).toBe('separation_of_duties')
  expect((await decide(api, tom, gains)).status).toBe(403)
  expect(payload(await decide(api, await api.person('anna'), gains))).toMatchObject({ status: 'approved' })
})

const bindingOf = async (by: string, name: string): Promise<string> => {
  const agentId = await registerRefundAgent(api, name)
  const wanted = await bindingFor(api, agentId, name)
  return payload<Change>(await api.mutate(by, 'policyBindings.propose', wanted)).approvalId
}

/** Expects that the decision is refused, with a message that names the link. */
async function expectOnePerson(by: string, approvalId: string, link: RegExp): Promise<void> {
  const refused = await decide(api, by, approvalId)
  expect([refused.status, reason(refused)]).toEqual([403, 'separation_of_duties'])
  expect(refused.text).toMatch(link)
}

test('a delegation helps in neither direction: a delegate of the requester, and the requester as a delegate', async () => {
  const maria = await api.person('maria')
  const jonas = await api.person('jonas')
  const delegated = async (from: string, to: string, work: () => Promise<void>) => {
    const input = { delegate: to, until: new Date(Date.now() + 3_600_000).toISOString(), reason: 'On leave.' }
    const { delegation } = payload<{ delegation: { id: string } }>(await api.mutate(from, 'delegations.create', input))
    await work()
    payload(await api.mutate(from, 'delegations.end', { id: delegation.id }))
  }
  // An approver in no group, who can decide only in another's place.
  const input = { email: 'noa@mail.example', username: 'noa', displayName: 'Noa', roles: ['approver'] }
  const invited = payload<Invited>(await api.mutate(await api.person('tom'), 'members.invite', input))
  payload(await decide(api, await api.person('anna'), invited.change?.approvalId ?? ''))
  const noa = await redeem(api, invited.inviteUrl ?? '', 'noa')

  const approvalId = await bindingOf(maria, 'same-person-delegated')
  await delegated(maria, 'noa', () => expectOnePerson(noa, approvalId, /delegate of Maria Köhler, who caused/))
  await delegated(jonas, 'maria', () => expectOnePerson(maria, approvalId, /You asked for this/))
  // The delegate of an approver who caused nothing decides.
  await delegated(jonas, 'noa', async () => {
    expect(payload(await decide(api, noa, approvalId))).toMatchObject({ status: 'approved' })
  })
})

test('someone who invited the requester, or holds a secret or a token of the requester, does not decide', async () => {
  const granted = await (async () => {
    const { id, revision, roles } = await memberOf(api, 'jonas')
    const wanted = { id, expectedRevision: revision, roles: [...roles, 'tenant_admin'] }
    const asked = payload<{ change: Change }>(await api.mutate(await api.person('tom'), 'members.setRoles', wanted))
    return await decide(api, await api.person('anna'), asked.change.approvalId)
  })()
  expect(payload(granted)).toMatchObject({ status: 'approved' })
  // Until the token is renewed it lacks the new role.
  api.forgetTokens()
  const jonas = await api.person('jonas')
  const anna = await api.person('anna')

  const input = { email: 'ivo@mail.example', username: 'ivo', displayName: 'Ivo', roles: ['developer'] }
  const { inviteUrl } = payload<Invited>(await api.mutate(jonas, 'members.invite', input))
  const ivo = await redeem(api, inviteUrl ?? '', 'ivo')
  const invited = await bindingOf(ivo, 'same-person-invited')
  await expectOnePerson(jonas, invited, /Ivo/)
  expect(payload(await decide(api, anna, invited))).toMatchObject({ status: 'approved' })

  const tokenOf = async (clientId: string, clientSecret: string) => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const path = '/realms/northwind/protocol/openid-connect/token'
    const answer = await api.request(undefined, path, { method: 'POST', body: new URLSearchParams(form) })
    return (answer.body as { access_token: string }).access_token
  }
  const tom = await api.person('tom')
  const editor = payload<{ clientId: string; clientSecret: string }>(
    await api.mutate(tom, 'serviceAccounts.create', { name: 'Editor', roles: ['developer'] }),
  )
  const { items } = payload<{ items: { id: string; clientId: string }[] }>(
    await api.query(tom, 'serviceAccounts.list', { limit: 200 }),
  )
  const serviceAccountId = items.find((account) => account.clientId === editor.clientId)?.id
  const token = { name: 'Editor', serviceAccountId, use: 'gateway', agents: ['refund-assistant'] }
  expect((await api.mutate(jonas, 'connectionTokens.create', token)).status).toBe(200)
  const asked = await bindingOf(await tokenOf(editor.clientId, editor.clientSecret), 'same-person-connected')
  await expectOnePerson(jonas, asked, /You created a connection token of the service account editor/)
  expect(payload(await decide(api, anna, asked))).toMatchObject({ status: 'approved' })

  const clientId = 'ci-pipeline'
  const { clientSecret } = payload<{ clientSecret: string }>(
    await api.mutate(jonas, 'serviceAccounts.rotateSecret', { clientId }),
  )
  const rotated = await bindingOf(await tokenOf(clientId, clientSecret), 'same-person-rotated')
  await expectOnePerson(jonas, rotated, /rotated the secret of the service account ci-pipeline/)
  expect(payload(await decide(api, anna, rotated))).toMatchObject({ status: 'approved' })
})

test('a reset ends the tokens of the account in every tenant', async () => {
  const tom = await api.person('tom')
  const anna = await api.person('anna')
  const elsewhere = { 'x-svc-tenant-external-id': tenantOf('globex').externalId }
  expect((await api.query(anna, 'session.me', undefined, elsewhere)).status).toBe(200)
  const { id } = await memberOf(api, 'anna')
  const asked = payload<Invited>(await api.mutate(tom, 'members.resetPassword', { id }))
  // Nothing has happened to a person with guarded roles before another person approves.
  expect((await api.query(anna, 'session.me')).status).toBe(200)
  // The person whose password would be reset is one of the parties.
  expect(reason(await decide(api, anna, asked.change?.approvalId ?? ''))).toBe('separation_of_duties')
  payload(await decide(api, await api.person('jonas'), asked.change?.approvalId ?? ''))
  const { inviteUrl } = payload<Invited>(await api.mutate(tom, 'members.resetPassword', { id }))
  expect((await api.query(anna, 'session.me')).status).toBe(401)
  expect((await api.query(anna, 'session.me', undefined, elsewhere)).status).toBe(401)
  const back = await redeem(api, inviteUrl ?? '', 'anna')
  expect((await api.query(back, 'session.me', undefined, elsewhere)).status).toBe(200)
})

test('a machine invites and resets no one', async () => {
  const machine = await api.client('admin-automation')
  const input = { email: 'x@mail.example', username: 'x', displayName: 'X', roles: ['viewer'] }
  expect(reason(await api.mutate(machine, 'members.invite', input))).toBe('person_required')
  const { id } = await memberOf(api, 'vera')
  expect(reason(await api.mutate(machine, 'members.resetPassword', { id }))).toBe('person_required')
})

test('with a mail server, an invitation and a reset go by mail, are shown to no one, and let the person in', async () => {
  const tom = await byMail.person('tom')
  const invited = await invite(byMail, tom, 'nora')
  expect(invited.inviteUrl).toBeNull()
  const token = await redeem(byMail, await linkTo('nora@mail.example', 'invited'), 'nora')
  expect((await byMail.query(token, 'session.me')).status).toBe(200)
  const reset = payload<Invited>(await byMail.mutate(tom, 'members.resetPassword', { id: invited.member.id }))
  expect(reset).toMatchObject({ inviteUrl: null, change: null })
  expect((await byMail.query(token, 'session.me')).status).toBe(401)
  const back = await redeem(byMail, await linkTo('nora@mail.example', 'reset'), 'nora')
  expect((await byMail.query(back, 'session.me')).status).toBe(200)
})

/** The link in the mail about an invitation or a reset, once it has arrived. */
async function linkTo(recipient: string, about: 'invited' | 'reset'): Promise<string> {
  const isIt = ({ to, text }: Received) =>
    to === recipient && text.includes(about === 'reset' ? 'was reset' : 'invited')
  const { text } = await until(async () => smtp.received.find(isIt), `the mail to ${recipient}`)
  const link = /http\S+\/sign-in-link\/[\w-]{43}/.exec(text)?.[0]
  if (link === undefined) throw new Error(`no link in ${text}`)
  return link
}

function tenantOf(slug: string) {
  const tenant = api.credentials.tenants.find((candidate) => candidate.slug === slug)
  if (tenant === undefined) throw new Error(`no tenant ${slug}`)
  return tenant
}
