// An agent with the ai SDK, whose tool asks Countersign first: node ai-sdk.ts 'Refund 10.00 of order A-1001.'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { governed } from './countersign.ts'

const { OPENAI_BASE_URL = '', OPENAI_API_KEY } = process.env
const models = createOpenAICompatible({ name: 'models', baseURL: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY })

const { text } = await generateText({
  model: models('small-1'),
  prompt: process.argv[2] ?? '',
  stopWhen: stepCountIs(10),
  tools: {
    refund: tool({
      description: 'Refunds an order',
      inputSchema: z.object({ id: z.string(), amount: z.string() }),
      execute: governed('refund', async ({ id, amount }) => `Refunded ${amount} of order ${id}.`),
    }),
  },
})
console.log(text)
