'use client'

import { Proposed } from '#components/forms/proposed.tsx'
import * as t from '#components/texts/settings-effects/en.ts'
import type { Answers } from '#lib/trpc.ts'
import { settingNameText, settingValueText } from './setting-words.ts'

type Pending = NonNullable<Answers['tenants']['getSettings']['pending']>

/** The requested changes of rules that wait for approval. */
export function PendingSettings({ pending: { approvalId, changes } }: { pending: Pending }) {
  const text = changes.map(({ name, before, after }) =>
    t.fromTo({
      name: settingNameText(name),
      before: settingValueText(name, before),
      after: settingValueText(name, after),
    }),
  )
  return <Proposed what={t.waitingForApproval({ changes: text.join('; ') })} approvalId={approvalId} />
}
