import { open } from '../approval-page.ts'
import { call, decideAs, home, personToken, waitingRefund } from '../cases.ts'
import { environment, refundManifest, register, releasedAgent } from '../own-agent.ts'
import { addressOf, changeReads, requestedRefund, type Scene, type State } from './state.ts'

/** Those who can't decide, or can only reject, and why. */
export const blockedStates = {
  'own-request': {
    reach: async ({ origin, signedIn }) => open(await signedIn('maria'), await waitingRefund(origin)),
    says: 'You asked for this, so someone else must decide.',
  },
  'blocked:self': {
    async reach(scene) {
      const { origin, after } = scene
      const { page, approvalId } = await releaseInGlobex(scene)
      const maria = await personToken(origin, 'maria', 'globex')
      const until = new Date(Date.now() + 3_600_000).toISOString()
      const absence = { delegate: 'anna@northwind', until, reason: 'On leave.' }
      const { delegation } = await call<{ delegation: { id: string } }>(
        origin,
        maria,
        'mutation',
        'delegations.create',
        absence,
      )
      after(() => call(origin, maria, 'mutation', 'delegations.end', { id: delegation.id }))
      await page.goto(`${home('globex')}/approvals/${approvalId}`)
      return page
    },
    says: 'You are the delegate of Maria Köhler, who caused this request, so someone else must decide.',
  },
  'blocked:permission': {
    reach: async ({ origin, signedIn }) => open(await signedIn('vera'), await waitingRefund(origin)),
    says: 'You need the permission approval:decide to decide requests.',
  },
  'blocked:not-eligible': {
    async reach(scene) {
      const { page, approvalId } = await releaseInGlobex(scene)
      await page.goto(`${home('globex')}/approvals/${approvalId}`)
      return page
    },
    says: /Only members of .+ can decide this request\./,
  },
  'blocked:already-voted': {
    async reach({ origin, signedIn }) {
      const manifest = refundManifest(`e2e-two-people-${Date.now()}`, { approvals: { quorum: 2 } })
      const { approvalId } = await requestedRefund(origin, await releasedAgent(origin, manifest))
      await decideAs(origin, 'jonas', approvalId, 'approve', 'Read and found right.')
      const page = await signedIn('jonas')
      await page.goto(addressOf(approvalId))
      return page
    },
    says: 'You have already decided this request.',
  },
  'blocked:machine': {
    // A machine can't sign in to the console.
    async reach(scene) {
      const { approvalId } = await waitingRefund(scene.origin)
      const page = await scene.signedIn('jonas')
      const blocked = { code: 'machine_decision', message: 'Machines can’t decide approvals in this tenant.' }
      await changeReads(scene, page, (text) =>
        text
          .replaceAll('"blocked":null', `"blocked":${JSON.stringify(blocked)}`)
          .replaceAll('"mayReject":true', '"mayReject":false'),
      )
      await page.goto(addressOf(approvalId))
      return page
    },
    says: 'Machines can’t decide approvals in this tenant.',
  },
} satisfies Record<string, State>

/** A release that Maria proposes in Globex, where Anna is an approver and in no group. Returns Anna's empty page, too. */
async function releaseInGlobex({ origin, signedIn }: Scene) {
  const maria = await personToken(origin, 'maria', 'globex')
  const yaml = JSON.stringify({
    metadata: { name: `e2e-watched-${Date.now()}`, version: '1' },
    spec: { runtime: { observe: {} } },
  })
  const agentId = await register(origin, yaml, 'globex')
  const release = { agentId, version: '1', environment }
  const { approvalId } = await call<{ approvalId: string }>(origin, maria, 'mutation', 'releases.propose', release)
  return { page: await signedIn('anna'), approvalId }
}
