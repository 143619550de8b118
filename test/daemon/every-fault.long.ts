import { describe } from 'vitest'
import { everyFault, everyReadUnder, liars } from './every-fault.ts'

describe('of 13 super validators with four at fault', () => {
  everyReadUnder({ n: 13, faulty: liars, faults: everyFault, oneIn: 1 })
})
