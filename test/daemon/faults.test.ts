import { describe } from 'vitest'
import { answersStayTrue, type FaultyNetwork } from './faulty-network.ts'

describe.each<FaultyNetwork>([
  { superValidators: 4, f: 1, fanout: 'economical' },
  { superValidators: 13, f: 4, fanout: 'economical' },
])('$f of $superValidators, asked by the fan-out $fanout:', answersStayTrue)
