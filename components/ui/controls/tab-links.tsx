'use client'

import { type ElementType, useEffect, useRef } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'

export type TabLink = {
  href: string
  label: string
  current: boolean
  /** Number of items behind the tab. */
  count?: number
}

type TabLinksProps = {
  /** Label of the tabs: "Views of the inbox". */
  label: string
  tabs: TabLink[]
  /** The element that renders a link, such as the router's. */
  link?: ElementType
}

/** Tabs whose state is the address: links, so each has its own URL, history and middle click. */
export function TabLinks({ label, tabs, link: Link = 'a' }: TabLinksProps) {
  const ref = useRef<HTMLElement>(null)
  const here = tabs.find((tab) => tab.current)?.href
  // On a narrow screen the tabs scroll sideways, and the current one must stay visible.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the position depends on the current tab.
  useEffect(() => {
    ref.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [here])
  return (
    <nav ref={ref} aria-label={label} className="overflow-x-auto border-line border-b">
      <ul className="flex gap-5">
        {tabs.map((tab) => (
          <li key={tab.href}>
            <Link
              href={tab.href}
              aria-current={tab.current ? 'page' : undefined}
              className={classNames(
                'flex min-h-9 items-center max-rail:min-h-11 gap-1.5 whitespace-nowrap border-b-2 -outline-offset-2',
                tab.current
                  ? 'border-ink font-semibold text-ink'
                  : 'border-transparent text-ink-2 hover:border-line-strong hover:text-ink',
              )}
            >
              {tab.label}
              {tab.count !== undefined && <span className="text-dense text-ink-2">{tab.count}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
