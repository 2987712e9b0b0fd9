import type { BlockedWhy, View } from '../app/t/[tenant]/approvals/[approvalId]/decision/decision-view.ts'
import { rail } from './approval-page.ts'
import { blockedStates } from './approval-states/blocked.ts'
import { changedStates } from './approval-states/changed.ts'
import { connectionStates } from './approval-states/connection.ts'
import { formStates } from './approval-states/form.ts'
import { outcomeStates } from './approval-states/outcome.ts'
import type { State } from './approval-states/state.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

// Every state of the approval page in a real browser, on the real server: in npm test in one view, in npm run proof in both
// themes at both widths. The cases that need more than the page of one person have tests of their own: history, questions,
// changes, time to read, passkeys and standing grants.

/** A state that the page knows and that is missing below is an error of the types. */
type Known = Exclude<View['is'], 'blocked'> | `blocked:${BlockedWhy}`
const states: Record<Known, State> & Record<string, State> = {
  ...formStates,
  ...blockedStates,
  ...changedStates,
  ...connectionStates,
  ...outcomeStates,
}

for (const [name, { reach, says, within = rail }] of Object.entries(states))
  test(`the state ${name} is stated, and accessible`, async ({ signedIn, origin, page, troubles }) => {
    const ends: (() => unknown)[] = []
    const scene = {
      origin,
      signedIn,
      page,
      expectTrouble: (pattern: RegExp) => troubles.expect(pattern),
      after: (work: () => unknown) => ends.push(work),
    }
    try {
      const shown = await reach(scene)
      await expect(within(shown)).toContainText(says)
      await expectEveryView(shown, `state-${name}`, async ({ width }) => {
        const isSheet = within === rail && width < 900
        if (!isSheet) return await expect(within(shown)).toContainText(says, { useInnerText: true })
        // On a phone, the rail is a sheet that opens from the bar at the foot.
        await rail(shown)
          .getByRole('button', { name: /^(?:All choices|Details)$/ })
          .click()
        await expect(rail(shown)).toContainText(says, { useInnerText: true })
        await expectAccessible(shown)
        await shown.getByRole('button', { name: 'Back to the case' }).click()
      })
    } finally {
      for (const end of ends.reverse()) await end()
    }
  })
