'use client'

import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/approval-decision/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Approval, Decision } from '#lib/schemas/approvals.ts'
import { consequenceOfApproval, VERBS } from '../words.tsx'
import { isEditable, whyNotChoose } from './decision-view.ts'
import type { DecisionControl } from './use-decision.ts'

/** On a phone: one line with what matters now, and the way into the sheet. Choosing here sends nothing. */
export function DecisionBar({ decision, shown }: { decision: DecisionControl; shown: Approval }) {
  const { machine, view, whyNot, edit, sheet } = decision
  const editable = isEditable(view)
  function choose(chosen: Decision) {
    edit({ decision: chosen })
    sheet.setOpen(true)
  }
  const mayApprove = whyNotChoose(machine, 'approve') === undefined
  return (
    <div className="flex flex-col gap-2">
      {/* Below 900 px, the notices of the rail are hidden while its sheet is closed. What counts seconds is not announced. */}
      <p role="status" className="font-semibold empty:-mt-2">
        {!editable && whyNot !== undefined && <ShownText>{whyNot}</ShownText>}
      </p>
      {editable && <Line decision={decision} shown={shown} />}
      {editable ? (
        <div className={classNames('grid gap-2', mayApprove ? 'grid-cols-[1fr_1fr_auto]' : 'grid-cols-[1fr_auto]')}>
          <Button onClick={() => choose('reject')}>{VERBS.reject}…</Button>
          {mayApprove && <Button onClick={() => choose('approve')}>{VERBS.approve}…</Button>}
          <Button onClick={() => sheet.setOpen(true)} aria-label={t.allChoices} className="min-w-11">
            <span aria-hidden="true">⋯</span>
          </Button>
        </div>
      ) : (
        <Button wide onClick={() => sheet.setOpen(true)}>
          {t.details}
        </Button>
      )}
    </div>
  )
}

function Line({ decision: { machine, whyNot }, shown }: { decision: DecisionControl; shown: Approval }) {
  const { decision } = machine.draft
  const blocked = whyNotChoose(machine, 'approve')
  if (blocked !== undefined)
    return <p className="font-semibold text-warn">{t.youCanRejectThis({ blocked, shown: shownText })}</p>
  if (decision !== undefined)
    return <p className="font-semibold">{t.isChosen({ decision, whyNot: whyNot ?? t.itIsReadyTo })}</p>
  return (
    <p className={classNames('line-clamp-3', shown.repeats?.approved != null && 'font-semibold text-danger')}>
      {t.ifYouApprove({ consequence: () => consequenceOfApproval(shown) })}
    </p>
  )
}
