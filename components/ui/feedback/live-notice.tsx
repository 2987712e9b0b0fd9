'use client'

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { CloseIcon } from '#components/ui/status/icons.tsx'

type Notice = { id: number; text: string }

const NoticeContext = createContext<(text: string) => void>(() => {
  throw new Error('useNotice() outside of <LiveNotices>')
})

/** Returns a function that shows a sentence for eight seconds and announces it politely. A notice must never be the only sign of a result. */
export function useNotice(): (text: string) => void {
  return useContext(NoticeContext)
}

/** The one place where notices appear. The live region must exist from the start, or screen readers don't announce it. */
export function LiveNotices({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice>()
  useEffect(() => {
    if (!notice) return
    const timer = setTimeout(() => setNotice(undefined), 8000)
    return () => clearTimeout(timer)
  }, [notice])
  const show = useMemo(() => (text: string) => setNotice((last) => ({ id: (last?.id ?? 0) + 1, text })), [])
  return (
    <NoticeContext value={show}>
      {children}
      <div role="status" className="pointer-events-none fixed inset-x-4 bottom-4 z-30 flex justify-center">
        {notice && (
          <div
            key={notice.id}
            className="appear pointer-events-auto flex max-w-120 items-start gap-3 bg-primary py-2 pr-2 pl-3 text-on-primary"
          >
            <span className="py-0.5">{notice.text}</span>
            <button
              type="button"
              aria-label={t.dismiss}
              onClick={() => setNotice(undefined)}
              className="inline-grid size-6 shrink-0 place-items-center"
            >
              <CloseIcon />
            </button>
          </div>
        )}
      </div>
    </NoticeContext>
  )
}
