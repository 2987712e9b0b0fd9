'use client'

import type { KeyboardEvent, ReactNode } from 'react'
import { useSingleKeys } from '#components/keyboard/single-keys.ts'
import * as t from '#components/texts/approval-decision/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Approval, Decision } from '#lib/schemas/approvals.ts'
import { acknowledgement, actOf, consequenceOfApproval, VERBS } from '../words.tsx'
import { type Machine, reasonLimit } from './decision-state.ts'
import { isEditable, whyNotChoose } from './decision-view.ts'
import { PasskeyNote } from './passkey-note.tsx'
import { ReadingNote } from './reading-note.tsx'
import type { DecisionControl } from './use-decision.ts'
import { shortcuts } from './use-shortcuts.ts'

type DecisionFormProps = {
  decision: DecisionControl
  shown: Approval
  /** Id of the element that explains why the form is locked. It describes the form to assistive technology. */
  noticeId: string
}

/**
 * Choice, reason, acknowledgement, and a button that names the effect. A disabled button stays visible and states its
 * reason.
 */
export function DecisionForm({ decision: control, shown, noticeId }: DecisionFormProps) {
  const { view, machine, edit, submit, whyNot } = control
  const { decision, reason, acknowledged } = machine.draft
  const { presentation } = shown
  const [keys] = useSingleKeys()
  const editable = isEditable(view)
  const option = (value: Decision, consequence: ReactNode) => ({
    value,
    label: VERBS[value],
    consequence,
    disabledReason: shownReason(editable ? whyNotChoose(machine, value) : undefined),
    ...(keys === 'on' ? { shortcut: shortcuts[value].toUpperCase() } : {}),
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a second frame around the rail's frame.
    <div role="group" aria-label={t.yourDecision} aria-describedby={noticeId} className="flex flex-col gap-4">
      <RadioCards
        legend={t.decision}
        value={decision}
        onChange={(value) => edit({ decision: value })}
        onPick={() => control.reasonField.current?.focus()}
        locked={!editable}
        options={[
          option('approve', consequenceOfApproval(shown)),
          option('reject', <ShownText>{presentation.onReject}</ShownText>),
          option('escalate', <ShownText>{presentation.onEscalate}</ShownText>),
        ]}
      />
      <TextArea
        label={t.reason}
        hint={t.requiredStoredInAudit}
        limit={reasonLimit}
        value={reason}
        readOnly={!editable}
        aria-required
        ref={control.reasonField}
        onKeyDown={leaveReason}
        onChange={(event) => edit({ reason: event.target.value })}
      />
      {decision !== undefined && (
        <Checkbox
          label={acknowledgement(decision, shown)}
          checked={acknowledged}
          onChange={(checked) => edit({ acknowledged: checked })}
          locked={!editable}
        />
      )}
      {decision === 'approve' && <ReadingNote decision={control} />}
      {decision === 'approve' && <PasskeyNote state={shown.passkey} />}
      <Button
        variant="primary"
        wide
        onClick={submit}
        disabledReason={view.is === 'submitting' ? undefined : shownReason(whyNot)}
        busyLabel={view.is === 'submitting' ? busyLabel(machine) : undefined}
      >
        {decision === undefined ? t.decide : actOf(decision, shown)}
        {whyNot === undefined && (
          <span aria-hidden="true" className="inline-flex">
            <Kbd>{submitKey()}</Kbd>
          </span>
        )}
      </Button>
    </div>
  )
}

/** It may contain the name of an account or a group. */
const shownReason = (text: string | undefined): ReactNode =>
  text === undefined ? undefined : <ShownText>{text}</ShownText>

/** Escape moves the focus back to the chosen option, where the keys work again. */
function leaveReason({ key, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (key !== 'Escape') return
  currentTarget.closest('[role="group"]')?.querySelector<HTMLElement>('input[type="radio"]:checked')?.focus()
}

/** Names what the form waits for: the person's device, or the server. */
const busyLabel = ({ attempt }: Machine): InProgress =>
  attempt?.confirms === true && attempt.passkey === undefined ? t.waitingForYourPasskey : t.recordingYourDecision

const submitKey = (): string => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘↵' : t.ctrl)
