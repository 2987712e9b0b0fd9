// An agent with OpenAI's Agents SDK, whose tool asks Countersign first: node openai-agents.ts 'Refund 10.00 of order A-1001.'
import { Agent, run, setOpenAIAPI, tool } from '@openai/agents'
import { z } from 'zod'
import { governed } from './countersign.ts'

// The form of the API that every OpenAI-compatible endpoint has.
setOpenAIAPI('chat_completions')

const agent = new Agent({
  name: 'Refund assistant',
  model: 'small-1',
  instructions: 'You issue refunds.',
  tools: [
    tool({
      name: 'refund',
      description: 'Refunds an order',
      parameters: z.object({ id: z.string(), amount: z.string() }),
      execute: governed('refund', async ({ id, amount }) => `Refunded ${amount} of order ${id}.`),
    }),
  ],
})
const { finalOutput } = await run(agent, process.argv[2] ?? '')
console.log(finalOutput)
