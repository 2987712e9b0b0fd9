'use client'

import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { policiesPath } from '#lib/paths.ts'
import { PolicyForm } from './policy-form.tsx'

/** Creates a policy with its first version as a draft. */
export function NewPolicy() {
  const { tenant } = useSession()
  return (
    <Permitted permission="policy:author" act="write policies" title="Write a policy">
      <Page>
        <PageHeader title="Write a policy" crumbs={[{ label: 'Policies', href: policiesPath(tenant) }]} id="New" />
        <PolicyForm />
      </Page>
    </Permitted>
  )
}
