/** A key, as printed on the keyboard. Not shown on phones, which have none. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="max-rail:pointer-coarse:hidden inline-flex shrink-0 min-h-4.5 min-w-4.5 items-center justify-center border border-current px-1 font-mono text-[0.6875rem] leading-none whitespace-nowrap">
      {children}
    </kbd>
  )
}
