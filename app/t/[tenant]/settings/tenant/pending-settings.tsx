'use client'

import { Proposed } from '#components/forms/proposed.tsx'
import { settingNameText, settingValueText } from '#components/settings/setting-words.ts'
import * as t from '#components/texts/settings-tenant/en.ts'
import type { Answers } from '#lib/trpc.ts'

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
