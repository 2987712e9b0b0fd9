'use client'

import { Proposed } from '#components/forms/proposed.tsx'
import { settingName, settingText } from '#lib/rules/settings.ts'
import type { Answers } from '#lib/trpc.ts'

type Pending = NonNullable<Answers['tenants']['getSettings']['pending']>

/** The requested changes of rules that wait for approval. */
export function PendingSettings({ pending: { approvalId, changes } }: { pending: Pending }) {
  const text = changes.map(
    ({ name, before, after }) => `${nameOf(name)} from ${settingText(name, before)} to ${settingText(name, after)}`,
  )
  return <Proposed what={`Waiting for approval: ${text.join('; ')}.`} approvalId={approvalId} />
}

const names = new Map(Object.entries(settingName))
const nameOf = (name: string): string => names.get(name) ?? name
