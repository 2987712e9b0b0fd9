'use client'

import { useSearchParams } from 'next/navigation'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { isNew } from '#components/texts/page/en.ts'
import * as t from '#components/texts/policy/en.ts'
import { policiesPath } from '#lib/paths.ts'
import { templates } from '#lib/policy-gallery/templates.ts'
import { Gallery } from './gallery.tsx'
import { PolicyForm } from './policy-form.tsx'

/** Creates a policy with its first version as a draft, from one of the gallery or from a first text. */
export function NewPolicy() {
  const { tenant } = useSession()
  const start = useSearchParams().get('start')
  const template = templates.find(({ key }) => key === start)
  return (
    <Permitted permission="policy:author" act={t.writePolicies} title={t.writePolicy}>
      <Page wide>
        <PageHeader title={t.writePolicy} crumbs={[{ label: t.policies, href: policiesPath(tenant) }]} id={isNew} />
        <Section title={t.startFrom}>
          <Gallery chosen={template?.key} />
        </Section>
        <PolicyForm key={template?.key} template={template} />
      </Page>
    </Permitted>
  )
}
