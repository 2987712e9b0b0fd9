// Checks the Sigstore bundle of an extracted archive with sigstore-go, which knows nothing of Countersign.
// Usage: go run . <folder of the archive> <public key in PEM>. Prints the files that the bundle names and that have its digests,
// or fails.
package main

import (
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/signature"
)

func main() {
	if len(os.Args) != 3 {
		fail(errors.New("usage: sigstore <folder of the archive> <public key in PEM>"))
	}
	names, err := check(os.Args[1], os.Args[2])
	if err != nil {
		fail(err)
	}
	for _, name := range names {
		fmt.Println(name)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func check(top, keyPath string) ([]string, error) {
	key, err := verifier(keyPath)
	if err != nil {
		return nil, fmt.Errorf("the key: %w", err)
	}
	entity, err := bundle.LoadJSONFromPath(filepath.Join(top, "seal/bundle.sigstore.json"))
	if err != nil {
		return nil, fmt.Errorf("the bundle: %w", err)
	}
	// A key of the service's own: no certificate, and no time that Sigstore's public services attest.
	material := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
		return unlimited{key}, nil
	})
	checker, err := verify.NewVerifier(material, verify.WithNoObserverTimestamps())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range []string{"manifest.json", "tagmanifest-sha256.txt"} {
		data, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			return nil, err
		}
		digest := sha256.Sum256(data)
		policy := verify.NewPolicy(verify.WithArtifactDigest("sha256", digest[:]), verify.WithKey())
		result, err := checker.Verify(entity, policy)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if !isNamed(result, name, digest[:]) {
			return nil, fmt.Errorf("%s: the bundle names it with another digest", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// isNamed says whether the signed statement has the digest under this name.
func isNamed(result *verify.VerificationResult, name string, digest []byte) bool {
	for _, subject := range result.Statement.GetSubject() {
		if subject.GetName() == name && subject.GetDigest()["sha256"] == hex.EncodeToString(digest) {
			return true
		}
	}
	return false
}

// unlimited is a key that is valid at any time.
type unlimited struct{ signature.Verifier }

func (unlimited) ValidAtTime(time.Time) bool { return true }

func verifier(path string) (signature.Verifier, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not in PEM")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	return signature.LoadVerifier(key, crypto.Hash(0))
}
