import { demoMark } from '#lib/verify/demo.ts'

/** On each page of a demo tenant, on paper too, so that it is not taken for real days. */
export function DemoStrip() {
  return (
    <p className="border-line border-b bg-surface px-3 py-1 text-dense text-ink-2 rail:px-7">
      <strong className="font-semibold text-ink">Demo.</strong> {demoMark} Nothing here really happened.
    </p>
  )
}
