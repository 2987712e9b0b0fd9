import { eventWire, readInputEvent } from '#server/inputs/read-event.ts'
import { submit } from '#server/inputs/submit.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  // 202: the event is durable; its receipt reports its later state.
  POST: rest({
    name: 'inputEvents.submit',
    operation: submit,
    status: 202,
    ownIdempotency: true,
    wire: eventWire,
    input: ({ request }) => readInputEvent(request),
  }),
})
