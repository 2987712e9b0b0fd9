'use client'

import { shownText } from '#components/language/shown-text.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { agentPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'

type RegisteredProps = { answer: Answers['agents']['create']; again: () => void }

/** Shows the registered version, the warnings about its manifest, and what the agent still needs before it can run. */
export function Registered({ answer: { agent, warnings, requirements }, again }: RegisteredProps) {
  const { tenant } = useSession()
  return (
    <>
      <Banner tone="ok">
        {t.isRegisteredAsVersion({ agent: agent.name, shown: shownText, version: agent.version })}
      </Banner>
      <p className="flex flex-wrap items-center gap-x-1.5">
        {t.manifestDigestCopyable({
          copyable: () => <Copyable value={agent.manifestDigest} label={t.manifestDigest} />,
        })}
      </p>
      {requirements.length > 0 && (
        <Section title={t.beforeItCanRun}>
          <List items={requirements} />
        </Section>
      )}
      {warnings.length > 0 && (
        <Section title={t.warnings}>
          <List items={warnings.map(({ path, message }) => `${path}: ${message}`)} />
        </Section>
      )}
      <div className="flex flex-wrap gap-3">
        <ActionLink href={agentPath(tenant, agent.id)} permission="agent:read">
          {t.openAgent}
        </ActionLink>
        <Button onClick={again}>{t.registerAnotherManifest}</Button>
      </div>
    </>
  )
}

function List({ items }: { items: string[] }) {
  return (
    <ul className="border-line border-b">
      {items.map((item) => (
        <li key={item} className="wrap-anywhere border-line border-t py-1.5">
          <ShownText>{item}</ShownText>
        </li>
      ))}
    </ul>
  )
}
