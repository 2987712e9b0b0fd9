import { MaskedValue } from '#components/json/json-view.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/traces/en.ts'
import type { PartialAnswer } from '#components/traces/model/answer-log.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'

type LiveAnswersProps = { answers: readonly PartialAnswer[]; spans: readonly TraceSpan[] }

/** The answers that models are generating, as they arrive. Not a live region: screen readers don't announce them. */
export function LiveAnswers({ answers, spans }: LiveAnswersProps) {
  return answers.map((answer) => {
    const name = spans.find(({ spanId }) => spanId === answer.spanId)?.name ?? t.aModel
    return <LiveAnswer key={answer.spanId} name={name} answer={answer} />
  })
}

function LiveAnswer({ name, answer: { start, text, masked } }: { name: string; answer: PartialAnswer }) {
  return (
    <section aria-label={t.isAnswering({ name })} className="border-line border-y py-2">
      <p className="text-dense text-ink-2">{t.shownIsAnswering({ name, shown: shownText })}</p>
      {masked !== undefined ? (
        <MaskedValue masked={masked} />
      ) : (
        // Reversed, so that the browser keeps the end in view until the reader scrolls.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
        <div tabIndex={0} className="flex max-h-40 flex-col-reverse overflow-y-auto">
          <p className="wrap-anywhere max-w-prose">
            {start > 0 && '… '}
            <ShownText>{text}</ShownText>
          </p>
        </div>
      )}
    </section>
  )
}
