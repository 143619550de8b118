import type { Ask, Effects, PreparedFault } from './faults/fault.ts'
import type { NodeContext } from './node-context.ts'
import type { ReadId } from './reads.ts'
import type { Reply } from './reply.ts'
import { sendWhole } from './wire.ts'
import { usualTraits } from './world/registry.ts'
import { honestView, type View } from './world/view.ts'

const leastSeconds = 20
const differentDelays = 71
const stepSeconds = 37

/** How a node answers the requests for one read, with all faults that apply to this read. */
export interface Behaviour {
  readonly view: View
  wait(ask: Ask): Promise<void>
  say(reply: Reply, ask: Ask, body: string): Reply
  send(reply: Reply, ask: Ask): void | Promise<void>
}

export function behaviour(context: NodeContext, faults: readonly PreparedFault[], read: ReadId): Behaviour {
  const effects = faults.filter((fault) => fault.appliesTo(read)).map((fault) => fault.effects)
  const send = effects.findLast((effect) => effect.send !== undefined)?.send
  return {
    view: view(context, effects),
    async wait(ask) {
      for (const effect of effects) await effect.wait?.(ask)
    },
    say: (reply, ask, body) => effects.reduce((said, effect) => effect.say?.(said, ask, body) ?? said, reply),
    send: send ?? ((reply, { response }) => sendWhole(response, reply)),
  }
}

function view(context: NodeContext, effects: readonly Effects[]): View {
  const settlingMs = snapshotDelayMs(context.index)
  const traits = Object.assign({ ...usualTraits, settlingMs }, ...effects.map((effect) => effect.traits))
  const honest = honestView(context.network, traits)
  return effects.reduce((seen, effect) => effect.see?.(seen, context) ?? seen, honest)
}

/**
 * Returns the delay from the time of a snapshot to the moment when the node has that snapshot:
 * 20,000 to 90,000 ms. Up to 71 nodes all have different delays.
 */
function snapshotDelayMs(index: number): number {
  return (leastSeconds + ((index * stepSeconds) % differentDelays)) * 1_000
}
