// Package explore runs a program in every distinct order.
package explore
