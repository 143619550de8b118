import { everyMixture, type Mixture, mixtureIsServed } from './mixture.ts'

for (const mixture of everyMixture(4)) mixtureIsServed(mixture)

const thirteen = (older: number, middle: number): Mixture => [
  ...Array<'0.7.5'>(older).fill('0.7.5'),
  ...Array<'0.8'>(middle).fill('0.8'),
  ...Array<'0.9'>(13 - older - middle).fill('0.9'),
]

for (const [older, middle] of [
  [0, 0],
  [0, 5],
  [4, 5],
  [5, 0],
  [9, 0],
  [12, 1],
] as const)
  mixtureIsServed(thirteen(older, middle))
